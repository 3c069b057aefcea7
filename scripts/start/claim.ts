import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { commandLine, endFamily, endService } from '../processes.ts';

/** The record that a launch leaves for later ones. */
interface Running {
	pid: number;
	/** The address of the served page without a folder. */
	address?: string;
	/** The server's process, and the mark of everything that it started. */
	server?: { pid: number; mark: string };
}

export interface Claim {
	record(running: Omit<Running, 'pid'>): void;
	release(): void;
}

/**
 * Claims the data folder, which only one launch at a time owns.
 * @returns the claim, or the address of the launch that has it
 */
export async function claimLaunch(dataFolder: string): Promise<Claim | string> {
	fs.mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
	const file = path.join(dataFolder, 'running.json');
	for (;;) {
		try {
			fs.writeFileSync(file, JSON.stringify({ pid: process.pid }), { flag: 'wx', mode: 0o600 });
			return {
				record: running => fs.writeFileSync(file, JSON.stringify({ pid: process.pid, ...running })),
				release: () => fs.rmSync(file, { force: true }),
			};
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
				throw error;
			}
		}
		const running = readRunning(file);
		if (!commandLine(running?.pid ?? 0).includes('start.ts')) {
			await endLeftovers(dataFolder, running);
			fs.rmSync(file, { force: true });
		} else if (running?.address !== undefined) {
			return running.address;
		} else {
			await wait(100);
		}
	}
}

/** Ends the processes of a launch that was killed and could not clean up. */
async function endLeftovers(dataFolder: string, running: Running | undefined): Promise<void> {
	if (running?.server !== undefined) {
		const { pid, mark } = running.server;
		await endFamily(commandLine(pid).includes('server-main.js') ? pid : undefined, mark);
	}
	await endService(path.join(dataFolder, 'service'));
}

function readRunning(file: string): Running | undefined {
	try {
		return JSON.parse(fs.readFileSync(file, 'utf8'));
	} catch {
		return undefined;
	}
}
