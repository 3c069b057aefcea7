import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { endFamily, endService, newMark } from '../processes.ts';
import { type Launch, type LaunchInput, viewOpener } from './launch.ts';

/** Returns the desktop editor's command if it exists and there is a screen for the editor. */
export function desktopCode(): string | undefined {
	// In an editor's terminal, `code` may only pass files to a remote window, without extensions in development.
	const remote = process.env['VSCODE_IPC_HOOK_CLI'] !== undefined;
	const screen = process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
	if (remote || !screen) {
		return undefined;
	}
	const name = process.platform === 'win32' ? 'code.cmd' : 'code';
	const folders = (process.env['PATH'] ?? '').split(path.delimiter);
	return folders.map(folder => path.join(folder, name)).find(file => fs.existsSync(file));
}

/**
 * Opens the desktop editor with its own profile, so that this window ends with the launch and the user's other windows
 * do not.
 */
export function openDesktop(code: string, { dataFolder, extension, folder }: LaunchInput): Launch {
	const stateFolder = path.join(dataFolder, 'service');
	fs.mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
	const mark = newMark();
	const asRoot = process.platform === 'linux' && process.getuid?.() === 0;
	const windows = process.platform === 'win32';
	const args = [
		`--extensionDevelopmentPath=${extension}`,
		`--extensionDevelopmentPath=${viewOpener}`,
		`--user-data-dir=${path.join(dataFolder, 'desktop')}`,
		'--new-window',
		// The command would otherwise return at once, and the window would not be a child process of ours.
		'--wait',
		...(asRoot ? ['--no-sandbox'] : []),
		folder,
	];
	const child = spawn(windows ? `"${code}"` : code, windows ? args.map(argument => `"${argument}"`) : args, {
		stdio: ['ignore', 'ignore', 'inherit'],
		detached: !windows,
		shell: windows,
		env: { ...process.env, ERRAND_STATE_HOME: stateFolder, ...mark.environment },
	});
	const ended = new Promise<string | undefined>(resolve => {
		child.once('error', error => resolve(`The desktop editor could not be started: ${error.message}.`));
		child.once('exit', exitCode =>
			resolve(exitCode ? `The desktop editor ended with exit code ${exitCode}.` : undefined),
		);
	});
	return {
		address: `a window of the desktop editor, on ${folder}`,
		ended,
		stop: async () => {
			await endFamily(child.pid, mark.value);
			await endService(stateFolder);
		},
	};
}
