// A window on a kept profile.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { defined } from '../../src/base/defined.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { openChat } from '../support/errandWindow.ts';
import { ReplyServer } from '../support/replyServer.ts';
import { storageState, workspaceId } from './browserState.ts';
import {
	keptEditorState,
	keptSettings,
	type Places,
	restoreRepositories,
	restoreService,
	restoreStorage,
} from './profile.ts';

export interface KeptWindow {
	places: Places;
	/** The servers behind `places.workshop` and `places.acme`. */
	workshop: ReplyServer;
	acme: ReplyServer;
	server: EditorServer;
	page: Page;
	chat: Frame;
	stop(): Promise<void>;
}

/** Opens a window of the present build, or of another one: `extension` is a folder with what it has built. */
export async function openKeptWindow(kept: string, extension?: string): Promise<KeptWindow> {
	const scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-profile-'));
	const [workshop, acme] = await Promise.all([ReplyServer.start(), ReplyServer.start()]);
	acme.endpoints = ['/chat/completions'];
	for (const service of [workshop, acme]) {
		service.script = () => ({ text: 'It still answers.' });
	}
	const [folder, origin] = ['widgets', 'widgets-origin.git'].map(name => path.join(scratch, name)) as [string, string];
	const places = { kept, folder, origin, workshop: workshop.url, acme: acme.url };
	let server: EditorServer | undefined;
	const stop = async () => {
		await server?.stop();
		await Promise.all([workshop.stop(), acme.stop()]);
		rmSync(scratch, { recursive: true, force: true });
	};
	try {
		restoreRepositories(places);
		server = await startEditor({ folder, settings: keptSettings(places), ...defined({ extension }) });
		const { host, origin: address } = new URL(server.address());
		const user = path.join(server.dataFolder, 'server', 'data', 'User');
		const workspace = path.join(user, 'workspaceStorage', workspaceId(`vscode-remote://${host}${folder}`));
		restoreStorage(path.join(user, 'globalStorage', 'errand.errand'), path.join(workspace, 'errand.errand'), places);
		restoreService(server.stateFolder, places);
		const keyFile = path.join(server.dataFolder, 'mint-key');
		const context = await server.browser.newContext({
			viewport: { width: 1280, height: 800 },
			locale: 'en-US',
			reducedMotion: 'reduce',
			storageState: storageState(address, keyFile, keptEditorState(places)),
		});
		const { page } = await openWindow(server, { context });
		return { places, workshop, acme, server, page, chat: await openChat(page), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
