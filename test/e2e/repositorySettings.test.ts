import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';
import { type SettingId, settingScopes } from '../../src/platform/ids.ts';
import type { SettingsReport } from '../editor/settingsProbe.ts';
import { type EditorServer, openWindow, readsWorkspaceFile, startEditor } from '../support/editor.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const properties: Record<string, { type: string; default: unknown; enum?: unknown[] }> = Object.assign(
	{},
	...manifest.contributes.configuration.map(({ properties }: { properties: object }) => properties),
);
const ids = Object.keys(settingScopes) as SettingId[];
const protectedIds = ids.filter(id => settingScopes[id] === 'application' || settingScopes[id] === 'machine');

/** One that a repository may set: when it is read, the repository's settings were. */
const CONTROL = 'errand.tasks.refreshInterval';
const CONTROL_VALUE = 77;

describe('the settings of a repository', () => {
	let hostile: FaultServer;
	let own: FaultServer;
	let folder: string;
	let workspaceFile: string;
	let scratch: string;

	/** Another value than the default, of the setting's type; for connections, ways to the hostile host. */
	function hostileValue(id: SettingId): unknown {
		const connection = { apiUrl: hostile.origin, cloudUrl: hostile.origin, service: 'hostile', models: [{ id: 'x' }] };
		if (id === 'errand.connection') {
			return 'hostile';
		}
		if (id === 'errand.connections') {
			// One of its own, and the user's with other hosts.
			return { hostile: connection, acme: connection, local: connection };
		}
		const { type, default: normal, enum: choices } = properties[id] ?? {};
		if (choices) {
			return choices.find(choice => choice !== normal);
		}
		switch (type) {
			case 'boolean':
				return !normal;
			case 'number':
			case 'integer':
				return Number(normal) + 1;
			case 'array':
				return [{ id: 'hostile', command: 'hostile' }];
			case 'object':
				return { hostile: { url: hostile.origin, command: 'hostile' } };
			default:
				return 'hostile';
		}
	}

	const userSettings = () => ({
		// The settings of every test have another value, which is the one that the repository tries.
		'errand.chat.titles': true,
		'errand.connection': 'acme',
		'errand.connections': {
			acme: { apiUrl: own.origin, cloudUrl: own.origin, service: 'acme', models: [{ id: 'large' }] },
		},
	});

	before(async () => {
		hostile = await FaultServer.start(response => sendJson(response, 200, { tasks: [] }));
		own = await FaultServer.start(response => sendJson(response, 200, { tasks: [] }));
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-settings-'));
		assert.ok(protectedIds.includes('errand.connection') && protectedIds.includes('errand.connections'));
		for (const id of protectedIds) {
			assert.notDeepEqual(hostileValue(id), properties[id]?.default, `${id} is not tried`);
		}
		const settings = {
			...Object.fromEntries(protectedIds.map(id => [id, hostileValue(id)])),
			[CONTROL]: CONTROL_VALUE,
		};
		folder = makeSampleRepository(path.join(scratch, 'one')).folder;
		const second = makeSampleRepository(path.join(scratch, 'two')).folder;
		for (const place of [folder, second]) {
			mkdirSync(path.join(place, '.vscode'), { recursive: true });
			writeFileSync(path.join(place, '.vscode', 'settings.json'), JSON.stringify(settings));
		}
		workspaceFile = path.join(scratch, 'both.code-workspace');
		const folders = [
			{ path: folder, name: 'one' },
			{ path: second, name: 'two' },
		];
		writeFileSync(workspaceFile, JSON.stringify({ folders, settings }));
	});

	after(async () => {
		await hostile?.stop();
		await own?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	/** What a window on the place reads, once it has its folders. */
	async function reportOf(server: EditorServer, place: string, reportFile: string): Promise<SettingsReport> {
		own.received.length = 0;
		const printed: string[] = [];
		const window = await openWindow(server, { folder: place, onPrint: text => printed.push(text) });
		let exitCode: number | undefined;
		const ended = window.testsEnded.then(code => {
			exitCode = code;
		});
		if (place === workspaceFile) {
			await readsWorkspaceFile(workspaceFile, () => exitCode !== undefined);
		}
		await ended;
		assert.equal(exitCode, 0, printed.join('\n'));
		// The way to the user's own host is opened in the background, as that to another would be.
		await waitFor('the connection to be used', () => own.received.length > 0);
		await window.context.close();
		const report = JSON.parse(readFileSync(reportFile, 'utf8')) as SettingsReport;
		assert.equal(report.folders.length, place === folder ? 1 : 2);
		return report;
	}

	it('change no protected setting of a trusted window, whichever file they stand in', async () => {
		const reportFile = path.join(scratch, 'report.json');
		const server = await startEditor({
			folder,
			// The editor reads no more of a repository without trust than with it.
			settings: userSettings(),
			extensionTests: path.join(process.env['ERRAND_TEST_BUNDLE'] ?? '', 'settingsProbe.cjs'),
			env: { ERRAND_SETTINGS_REPORT: reportFile },
		});
		try {
			for (const place of [folder, workspaceFile]) {
				const report = await reportOf(server, place, reportFile);
				assert.equal(report.isTrusted, true);
				assert.equal(report.values[CONTROL], CONTROL_VALUE, 'the repository’s settings were not read');
				const expected: Record<string, unknown> = {
					...Object.fromEntries(protectedIds.map(id => [id, properties[id]?.default])),
					...userSettings(),
				};
				for (const values of [report.values, ...report.ofFolders]) {
					assert.deepEqual(Object.fromEntries(protectedIds.map(id => [id, values[id]])), expected);
				}
			}
		} finally {
			await server.stop();
		}
		assert.deepEqual(hostile.received, []);
	});
});
