// Stands in for the native @vscode/spdlog: the calls that VS Code makes, as plain appends.
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';

const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

export function setFlushOn() {}

/**
 * @param {string} _name
 * @param {string} file
 */
export async function createAsyncRotatingLogger(_name, file) {
	mkdirSync(path.dirname(file), { recursive: true });
	let least = 2;
	let plain = false;
	/** @param {number} level */
	const writer = level => (/** @type {string} */ message) => {
		if (level >= least) {
			const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
			try {
				appendFileSync(file, plain ? message : `${time} [${levels[level]}] ${message}\n`);
			} catch {
				// The log folder of a finished run may be gone already.
			}
		}
	};
	return {
		trace: writer(0),
		debug: writer(1),
		info: writer(2),
		warn: writer(3),
		error: writer(4),
		critical: writer(5),
		getLevel: () => least,
		/** @param {number} level */
		setLevel: level => {
			least = level;
		},
		setPattern: () => {
			plain = false;
		},
		clearFormatters: () => {
			plain = true;
		},
		flush: () => {},
		drop: () => {},
	};
}
