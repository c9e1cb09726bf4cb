// Before the first paint: the remembered choice, so that nothing flashes.
try {
  const scheme = localStorage.getItem("color-scheme");
  if (scheme) document.documentElement.style.colorScheme = scheme;
} catch {
  // Storage is forbidden here: the system's preference holds.
}
