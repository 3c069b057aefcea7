// Stands in for the native @vscode/native-watchdog: the extension host looks after its parent in JavaScript as well.
export const start = () => {};
