// Stands in for the native @vscode/fs-copyfile, which only makes copies faster on some file systems.
import fs from 'node:fs';

export const { constants, copyFileSync } = fs;
export const { copyFile, cp } = fs.promises;

export const isCloneSupported = () => false;
