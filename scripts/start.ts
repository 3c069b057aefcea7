import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { cache, root } from './bootstrap/folders.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { build } from './build.ts';
import { makeSampleRepository } from './sampleRepository.ts';
import { agentsLine } from './start/agentsLine.ts';
import { claimLaunch } from './start/claim.ts';
import { desktopCode, openDesktop } from './start/desktop.ts';
import { openServed } from './start/served.ts';
import type { Team } from './start/team.ts';

/** Resolves when the launch should end: on a signal, or when the parent launcher is gone. */
const stopAsked = new Promise<undefined>(resolve => {
	for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
		process.on(event, () => resolve(undefined));
	}
});
// Writing to a closed terminal fails, which must not prevent the clean-up.
for (const stream of [process.stdout, process.stderr]) {
	stream.on('error', () => {});
}

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		options: { port: { type: 'string' }, served: { type: 'boolean' }, team: { type: 'boolean' } },
		allowPositionals: true,
	});
	const dataFolder = path.join(cache, values.team ? 'start-team' : 'start');
	const port = portOf(values.port ?? process.env['ERRAND_PORT']);
	const chosen = positionals[0] === undefined ? undefined : existingFolder(positionals[0]);
	const claim = await Promise.race([claimLaunch(dataFolder), stopAsked]);
	if (claim === undefined) {
		return;
	}
	if (typeof claim === 'string') {
		console.log('Errand is running already and goes on there.');
		console.log(`Errand is ready: ${claim}${encodeURIComponent(chosen ?? sampleFolder(dataFolder))}`);
		return;
	}
	try {
		console.log('Building …');
		if (
			(await Promise.race([withLock(path.join(cache, 'build.lock'), 'building', () => build()), stopAsked])) ===
			undefined
		) {
			return;
		}
		const folder = chosen ?? sampleFolder(dataFolder);
		const team = values.team ? await startTeamBeside(dataFolder) : undefined;
		try {
			const input = { dataFolder, extension: root, folder, settings: team?.settings ?? {} };
			const code = values.served ? undefined : desktopCode();
			const launch = code ? openDesktop(code, input) : await openServed(input, port, claim);
			try {
				if (team !== undefined) {
					console.log(`The service for a team is at ${team.address}. The key that the editor asks for: ${team.token}`);
				}
				console.log(await agentsLine(process.env['PATH'] ?? '', path.join(dataFolder, 'service')));
				console.log(`Errand is ready: ${launch.address}`);
				const failure = await Promise.race([launch.ended, stopAsked]);
				if (failure !== undefined) {
					throw new Error(failure);
				}
			} finally {
				await launch.stop();
			}
		} finally {
			await team?.stop();
		}
	} finally {
		claim.release();
	}
}

async function startTeamBeside(dataFolder: string): Promise<Team> {
	const { startTeam } = await import('./start/team.ts');
	return startTeam(path.join(cache, 'team'), sampleFolder(dataFolder));
}

function portOf(text: string | undefined): number | undefined {
	if (text === undefined || text === '') {
		return undefined;
	}
	if (!/^\d+$/.test(text) || Number(text) > 65_535) {
		throw new Error(`"${text}" is no port. Name one from 0 to 65535.`);
	}
	return Number(text);
}

function existingFolder(name: string): string {
	// npm runs this in the project's folder; INIT_CWD is the user's own working directory.
	const folder = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), name);
	if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
		throw new Error(`There is no folder ${folder}. Name one that exists, or none for the sample repository.`);
	}
	return folder;
}

/** Creates the repository only once, so that the user's changes in it are kept. */
function sampleFolder(dataFolder: string): string {
	const folder = path.join(dataFolder, 'sample');
	const made = path.join(dataFolder, 'sample.made');
	if (!fs.existsSync(made) || !fs.existsSync(folder)) {
		fs.rmSync(folder, { recursive: true, force: true });
		fs.rmSync(`${folder}-origin.git`, { recursive: true, force: true });
		makeSampleRepository(folder);
		fs.writeFileSync(made, '');
	}
	return folder;
}

try {
	await main();
	process.exit(0);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exit(1);
}
