// Stands in for the native @vscode/native-watchdog: the extension host also watches its parent in JavaScript.
export const start = () => {};
