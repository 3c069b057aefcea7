import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** The file system in memory that a Linux has for everybody. */
const MEMORY = '/dev/shm';

/** The room for the largest files of some tests beside everything that runs at the same time. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Creates a folder for what tests write, in memory where there is room. On a disk, the thousands of small files that
 * tests with git create and remove take as much processor time as all else that they do. A `TMPDIR` of the user decides
 * instead. A sandbox has memory of its own at this place, so nothing can lie here that it shows to an agent.
 */
export function makeTemporaryFolder(): string {
	const isInMemory = process.env['TMPDIR'] === undefined && hasRoomInMemory();
	const folder = fs.mkdtempSync(path.join(isInMemory ? MEMORY : os.tmpdir(), 'errand-test-'));
	// Some tests run programs as another user, who has to get to the folders inside.
	fs.chmodSync(folder, 0o711);
	return folder;
}

function hasRoomInMemory(): boolean {
	if (process.platform !== 'linux') {
		return false;
	}
	// A container may have little room there, or forbid programs.
	const [, , kind, options = ''] =
		fs
			.readFileSync('/proc/mounts', 'utf8')
			.split('\n')
			.map(line => line.split(' '))
			.findLast(([, folder]) => folder === MEMORY) ?? [];
	if (kind !== 'tmpfs' || options.split(',').some(option => option === 'noexec' || option === 'ro')) {
		return false;
	}
	const { bavail, bsize } = fs.statfsSync(MEMORY);
	return Math.min(bavail * bsize, os.freemem()) > NEEDED_BYTES;
}
