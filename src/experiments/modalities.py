"""Four kinds of input as tokens: words, patches, frames, residues. Nothing is learned.

Each function returns what the reader sees and X, one row for each token. All
rows have length d_model ** (1/4), so the score of two equal tokens is 1.
"""

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.image import imread


def read_weights(layer, X, sharpness):
    """The weights of `layer`, a self_attention, read off its output; (n, n).

    Token j gets e_j as its value, so row i of the output is row i of the
    weights. Queries and keys are the features times sqrt(sharpness).
    """
    n, d = X.shape
    W = np.sqrt(sharpness) * np.eye(d + n, d)  # reads the features, not e_j
    W_v = np.eye(d + n, n, -d)  # reads e_j, not the features
    return layer(np.hstack([X, np.eye(n)]), W, W, W_v)


def _tokens(features):
    """Features about their mean over the tokens, each row of length d ** (1/4)."""
    features = features - features.mean(axis=0)
    length = np.linalg.norm(features, axis=1, keepdims=True)
    return features / length * features.shape[1] ** 0.25


SENTENCE = "the cat saw the dog and the dog saw the moon"


def sentence(d=64):
    """Words, and for each distinct word a random vector: equal words, equal rows."""
    words = SENTENCE.split()
    vocabulary = sorted(set(words))
    vectors = np.random.default_rng(0).standard_normal((len(vocabulary), d))
    return words, _tokens(vectors[[vocabulary.index(word) for word in words]])


def photograph(side=8, pixels=8):
    """A photograph of side x side patches, each pixels x pixels x 3 numbers.

    Grace Hopper by the US Navy, which matplotlib ships; the upper square.
    """
    with get_sample_data("grace_hopper.jpg") as file:
        image = imread(file, format="jpg")[:512, :512] / 255
    size = side * pixels
    image = image.reshape(size, 512 // size, size, 512 // size, 3).mean(axis=(1, 3))
    patches = image.reshape(side, pixels, side, pixels, 3).swapaxes(1, 2)
    return image, _tokens(patches.reshape(side * side, -1))


MELODY = list("CDECCDECEFGGEFGG")  # a note each, four to a bar
SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7}


def melody(frames_per_note=3, rate=8000, samples=1200):
    """Notes, the spectra of their frames, and the frames as tokens.

    Each note is a decaying tone of three harmonics on C4 (261.63 Hz); a frame
    is `samples` samples long, its features are the log magnitudes below 1 kHz.
    """
    seconds = np.arange(frames_per_note * samples) / rate
    tones = []
    for note in MELODY:
        phase = 2 * np.pi * 261.63 * 2 ** (SEMITONES[note] / 12) * seconds
        tone = sum(np.sin(h * phase) / h for h in (1, 2, 3))
        tones.append(np.exp(-2 * seconds) * tone)
    frames = np.concatenate(tones).reshape(-1, samples) * np.hanning(samples)
    below_1_khz = slice(samples * 1000 // rate)
    spectra = np.log1p(np.abs(np.fft.rfft(frames))[:, below_1_khz])
    return MELODY, spectra, _tokens(spectra)


# Human ubiquitin (Vijay-Kumar, Bugg & Cook 1987; Protein Data Bank 1UBQ).
UBIQUITIN = (
    "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG"
)
CLASSES = {"hydrophobic": "ACFILMVWY", "polar": "GHNPQST", "charged": "DEKR"}
RESIDUES = "ARNDCQEGHILKMFPSTWYV"
# BLOSUM62 (Henikoff & Henikoff 1992): rows and columns in the order of RESIDUES.
BLOSUM62 = """
 4 -1 -2 -2  0 -1 -1  0 -2 -1 -1 -1 -1 -2 -1  1  0 -3 -2  0
-1  5  0 -2 -3  1  0 -2  0 -3 -2  2 -1 -3 -2 -1 -1 -3 -2 -3
-2  0  6  1 -3  0  0  0  1 -3 -3  0 -2 -3 -2  1  0 -4 -2 -3
-2 -2  1  6 -3  0  2 -1 -1 -3 -4 -1 -3 -3 -1  0 -1 -4 -3 -3
 0 -3 -3 -3  9 -3 -4 -3 -3 -1 -1 -3 -1 -2 -3 -1 -1 -2 -2 -1
-1  1  0  0 -3  5  2 -2  0 -3 -2  1  0 -3 -1  0 -1 -2 -1 -2
-1  0  0  2 -4  2  5 -2  0 -3 -3  1 -2 -3 -1  0 -1 -3 -2 -2
 0 -2  0 -1 -3 -2 -2  6 -2 -4 -4 -2 -3 -3 -2  0 -2 -2 -3 -3
-2  0  1 -1 -3  0  0 -2  8 -3 -3 -1 -2 -1 -2 -1 -2 -2  2 -3
-1 -3 -3 -3 -1 -3 -3 -4 -3  4  2 -3  1  0 -3 -2 -1 -3 -1  3
-1 -2 -3 -4 -1 -2 -3 -4 -3  2  4 -2  2  0 -3 -2 -1 -2 -1  1
-1  2  0 -1 -3  1  1 -2 -1 -3 -2  5 -1 -3 -1  0 -1 -3 -2 -2
-1 -1 -2 -3 -1  0 -2 -3 -2  1  2 -1  5  0 -2 -1 -1 -1 -1  1
-2 -3 -3 -3 -2 -3 -3 -3 -1  0  0 -3  0  6 -4 -2 -2  1  3 -1
-1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4  7 -1 -1 -4 -3 -2
 1 -1  1  0 -1  0  0  0 -1 -2 -2  0 -1 -2 -1  4  1 -3 -2 -2
 0 -1  0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1  1  5 -2 -2  0
-3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1  1 -4 -3 -2 11  2 -3
-2 -2 -2 -3 -2 -1 -2 -3  2 -1 -1 -2 -1  3 -3 -2 -2  2  7 -1
 0 -3 -3 -3 -1 -2 -2 -3 -3  3  1 -2  1 -1 -2 -2  0 -3 -1  4
"""


def ubiquitin():
    """The class of each residue, and as its features its row of BLOSUM62.

    Residues come in the order of CLASSES, alphabetical in a class; attention
    without positions gives the same weights in any order.
    """
    rows = np.array([line.split() for line in BLOSUM62.split("\n")[1:-1]], float)
    order = "".join(CLASSES.values())
    residues = sorted(UBIQUITIN, key=order.index)
    X = _tokens(rows[[RESIDUES.index(residue) for residue in residues]])
    classes = [next(c for c in CLASSES if r in CLASSES[c]) for r in residues]
    return np.array(classes), X
