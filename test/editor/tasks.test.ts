import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { DISCOVERY_FILE, discoverySchema, stateFolderOf } from '../../src/contract/control.ts';
import { commands, EXTENSION_ID, views } from '../../src/platform/ids.ts';
import { isAlive, waitFor } from '../support/waitFor.ts';

const run = promisify(execFile);

/** The text of the output channel whose name holds `part`, as far as the editor has it. */
function outputText(part: string): string | undefined {
	return vscode.workspace.textDocuments
		.find(({ uri }) => uri.scheme === 'output' && uri.path.includes(part))
		?.getText()
		.replaceAll('\r\n', '\n');
}

/** Starts a task by its command and takes what each question proposes. */
async function startTask(prompt: string): Promise<string> {
	let id: string | undefined;
	let isDone = false;
	const started = vscode.commands.executeCommand<string | undefined>(commands.startTask, { prompt }).then(result => {
		id = result;
		isDone = true;
	});
	await waitFor('the task to start', async () => {
		// Accepts the question that is open; nothing happens while none is, or while its answers are not there yet.
		await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
		return isDone;
	});
	await started;
	assert.ok(id, 'no task was started');
	return id;
}

async function servicePid(): Promise<number> {
	const folder = stateFolderOf(process.env, process.platform, os.homedir());
	return discoverySchema.parse(JSON.parse(await readFile(path.join(folder, DISCOVERY_FILE), 'utf8'))).pid;
}

describe('a task on the repository that is open', () => {
	const folder = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';

	before(async () => {
		await vscode.extensions.getExtension(EXTENSION_ID)?.activate();
		await vscode.commands.executeCommand(`${views.tasks}.focus`);
	});

	it('runs, is followed into the output panel, and leaves its branch where it was cloned from', async () => {
		const id = await startTask('Count the widgets');
		const name = `Errand: Count the widgets (${id.slice(-8)})`;
		const text = await waitFor('the end of the log', () => {
			const shown = outputText(name);
			return shown !== undefined && /^— .* —$/m.test(shown) && shown;
		});
		const lines = text.trimEnd().split('\n');
		assert.equal(lines.at(-1), '— completed —');
		assert.match(lines[0] ?? '', /^\d\d:\d\d:\d\d {2}git cloning {7}Cloning main of /);
		assert.ok(
			lines.some(line => /^\d\d:\d\d:\d\d {2}demo {12}› Errand demo agent$/.test(line)),
			text,
		);
		// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
		assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
		// A plan repeats the steps that have not changed, and a change may have equal lines.
		const entries = lines.filter(line => /^\d/.test(line) && !line.includes('demo plan'));
		assert.equal(new Set(entries).size, entries.length, 'an entry is there twice');

		const { stdout } = await run('git', ['ls-remote', '--heads', 'origin'], { cwd: folder() });
		assert.match(stdout, /refs\/heads\/errand\/count-the-widgets/);
		const { stdout: local } = await run('git', ['status', '--porcelain'], { cwd: folder() });
		assert.equal(local, '', 'the working copy was touched');
	});

	it('is interrupted when the service is killed, with every entry once and in order', async () => {
		const id = await startTask('/demo slow Watch the widgets');
		const name = `(${id.slice(-8)})`;
		await waitFor('the middle of the log', () => /Working slowly, line 8 of/.test(outputText(name) ?? ''));
		const pid = await servicePid();
		process.kill(pid, 'SIGKILL');
		await waitFor('the service to be gone', async () => !(await isAlive(pid)));
		await waitFor('word of the connection', () =>
			/^— connection lost at line \d+, reconnecting/m.test(outputText(name) ?? ''),
		);
		const text = await waitFor('the end of the log', () => {
			const shown = outputText(name) ?? '';
			return /^— Interrupted: .* —$/m.test(shown) && shown;
		});
		const numbers = [...text.matchAll(/Working slowly, line (\d+) of/g)].map(match => Number(match[1]));
		assert.deepEqual(
			numbers,
			numbers.map((_, index) => index + 1),
			'entries are missing, repeated or out of order',
		);
		assert.match(text, /^— reconnected at line \d+ —$/m);
	});

	it('stops on the service when it is told to', async () => {
		const id = await startTask('/demo slow Stop the widgets');
		const name = `(${id.slice(-8)})`;
		await waitFor('the log', () => /Working slowly, line 2 of/.test(outputText(name) ?? ''));
		await vscode.commands.executeCommand(commands.stopTask, id);
		await waitFor('the end of the log', () => /^— stopped.* —$/m.test(outputText(name) ?? ''));
		const { stdout } = await run('git', ['ls-remote', '--heads', 'origin'], { cwd: folder() });
		assert.doesNotMatch(stdout, /stop-the-widgets/);
	});
});
