import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { ensureEditor } from '../editor/install.ts';
import { installExtension } from '../editor/installExtension.ts';
import { startEditorServer } from '../editor/server.ts';
import { firstSettings } from '../editor/settings.ts';
import type { Claim } from './claim.ts';
import { type Launch, type LaunchInput, viewOpener } from './launch.ts';

/** Serves VS Code on this machine, with the extension installed as for a user. */
export async function openServed(input: LaunchInput, wishedPort: number | undefined, claim: Claim): Promise<Launch> {
	const { dataFolder, extension, folder } = input;
	const editorFolder = await ensureEditor();
	const extensions = path.join(dataFolder, 'extensions');
	installExtension(extension, extensions);
	fs.cpSync(viewOpener, path.join(extensions, 'errand.view-opener-1.0.0'), { recursive: true });
	writeSettingsOnce(path.join(dataFolder, 'server', 'data', 'User'), input.settings);
	const portFile = path.join(dataFolder, 'port');
	const port = wishedPort ?? (await lastPort(portFile));
	const editor = await startEditorServer({ editor: editorFolder, dataFolder, port });
	try {
		fs.writeFileSync(portFile, String(editor.port));
		const answer = await fetch(editor.address(folder), { redirect: 'manual' });
		if (answer.status >= 400) {
			throw new Error(`The served editor answers ${answer.status}. What its server printed:\n${editor.output()}`);
		}
		claim.record({ address: editor.address(''), server: { pid: editor.pid, mark: editor.mark } });
	} catch (error) {
		await editor.stop();
		throw error;
	}
	return {
		address: editor.address(folder),
		ended: editor.ended.then(() => `The editor's server ended by itself. What it printed:\n${editor.output()}`),
		stop: editor.stop,
	};
}

/** Writes the initial settings once. From then on they are the user's. */
function writeSettingsOnce(folder: string, settings: LaunchInput['settings']): void {
	fs.mkdirSync(folder, { recursive: true });
	const file = path.join(folder, 'settings.json');
	if (!fs.existsSync(file)) {
		fs.writeFileSync(file, `${JSON.stringify({ ...firstSettings, ...settings }, undefined, '\t')}\n`);
	}
}

/**
 * Returns the last port if it is free, otherwise 0. The page stores its state, including its secrets, under its
 * address, so the port should stay the same.
 */
async function lastPort(file: string): Promise<number> {
	const port = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0;
	return Number.isInteger(port) && (await isFree(port)) ? port : 0;
}

function isFree(port: number): Promise<boolean> {
	return new Promise(resolve => {
		const probe = net.createServer();
		probe.once('error', () => resolve(false));
		probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
	});
}
