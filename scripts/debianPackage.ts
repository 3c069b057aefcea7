import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';

export interface DebianPackage {
	/** The words for the program in a message, such as "a Chromium". */
	what: string;
	packageName: string;
	/** Returns the path of the program if it is installed. */
	find(): string | undefined;
	/** Sentences that say what is needed and how else to get it. */
	advice: string;
}

/**
 * Resolves with the path of a program that the tests need: the installed one, or a new one if the user agrees or the
 * run is in CI. Otherwise it rejects with the advice.
 */
export async function ensureDebianPackage({ what, packageName, find, advice }: DebianPackage): Promise<string> {
	const found = find();
	if (found !== undefined) {
		return found;
	}
	const prefix = process.getuid?.() === 0 ? '' : 'sudo ';
	const command = `${prefix}apt-get update && ${prefix}apt-get install -y ${packageName}`;
	if (!fs.existsSync('/usr/bin/apt-get')) {
		throw new Error(advice);
	}
	if (!process.env['CI'] && !(await agrees(what, command))) {
		throw new Error(`${advice} On this system:\n  ${command}`);
	}
	console.log(`Installing ${what} for the tests: ${command}`);
	const code = await shell(command);
	const installed = find();
	if (code !== 0 || installed === undefined) {
		throw new Error(`The package ${packageName} could not be installed (exit code ${code}). ${advice}`);
	}
	return installed;
}

async function agrees(what: string, command: string): Promise<boolean> {
	if (!process.stdin.isTTY || !process.stdout.isTTY) {
		return false;
	}
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	const closed = once(terminal, 'close').then(() => '');
	const question = `The tests need ${what}. Install it now?\n  ${command}\n[y/N] `;
	const answer = await Promise.race([terminal.question(question), closed]);
	terminal.close();
	return /^y(es)?$/i.test(answer.trim());
}

function shell(command: string): Promise<number> {
	return new Promise((resolve, reject) => {
		const child = spawn('sh', ['-c', command], {
			stdio: ['inherit', 'inherit', 'inherit'],
			env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
		});
		child.on('error', reject);
		child.on('exit', code => resolve(code ?? 1));
	});
}
