import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { pickThrough, quickRow } from './editorWindow.ts';
import { confirmTask, writePrompt } from './errandWindow.ts';

/** Chooses both demo agents in the list from which a task is started. */
async function chooseBothAgents(page: Page): Promise<void> {
	await pickThrough(page, 'Agent', 'Demo Two');
	await quickRow(page, 'Demo Two').click();
	await page.keyboard.press('Enter');
	await quickRow(page, 'Agents').filter({ hasText: 'Demo (demo), Demo Two (demo)' }).first().waitFor();
}

/** Starts a task that both demo agents work on, and resolves once the task exists. */
export async function startRace(page: Page, prompt: string): Promise<void> {
	await writePrompt(page, prompt);
	await page.keyboard.press('Enter');
	await chooseBothAgents(page);
	await confirmTask(page);
}

/**
 * Makes the second agent's branch differ from the first one's, as a further prompt would: in a file that both have
 * changed, and in one that only the second has. The commit is made in a clone in the `scratch` folder.
 */
export function goOnWithSecond(origin: string, scratch: string): void {
	const branches = execFileSync(
		'git',
		['-C', origin, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/errand'],
		{ encoding: 'utf8' },
	);
	const second = branches.trim().split('\n').at(-1) ?? '';
	const clone = path.join(scratch, 'clone');
	const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t', ...args]);
	git('clone', '--quiet', '--branch', second, origin, clone);
	appendFileSync(path.join(clone, 'errand-demo.md'), '\nIt sells widgets.\n');
	writeFileSync(path.join(clone, 'CONTENTS.md'), '# Contents\n\nSee the readme.\n');
	git('-C', clone, 'add', '--all');
	git('-C', clone, 'commit', '--quiet', '--message', 'Say more');
	git('-C', clone, 'push', '--quiet');
}
