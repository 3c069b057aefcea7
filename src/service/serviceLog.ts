import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import { createLogger, type Logger } from '../base/logger.ts';

const MAXIMUM_BYTES = 1024 * 1024;

/**
 * Writes the service's diagnostics to `service.log` in the state folder, and keeps the previous file as
 * `service.log.1`. It is a file because the windows that could read the standard output come and go. A failure to write
 * never affects the service.
 */
export class ServiceLog implements Disposable {
	private readonly file: string;
	private descriptor: number | undefined;
	private size = 0;

	constructor(stateFolder: string) {
		this.file = path.join(stateFolder, 'service.log');
		this.open();
	}

	logger(topic: string): Logger {
		return createLogger(topic, (level, line) => {
			if (level !== 'trace' && level !== 'debug') {
				this.write(`${new Date().toISOString()} ${level} ${line}\n`);
			}
		});
	}

	dispose(): void {
		if (this.descriptor !== undefined) {
			closeSync(this.descriptor);
			this.descriptor = undefined;
		}
	}

	private open(): void {
		try {
			this.descriptor = openSync(this.file, 'a', 0o600);
			this.size = fstatSync(this.descriptor).size;
		} catch {
			this.descriptor = undefined;
		}
	}

	private write(line: string): void {
		if (this.size > MAXIMUM_BYTES) {
			this.rotate();
		}
		if (this.descriptor === undefined) {
			return;
		}
		try {
			this.size += writeSync(this.descriptor, line);
		} catch {
			// A full disk must not end a service that is otherwise alive.
		}
	}

	private rotate(): void {
		this.dispose();
		try {
			renameSync(this.file, `${this.file}.1`);
		} catch {
			// If the file cannot be moved, it is deleted, so that the size limit is kept.
			rmSync(this.file, { force: true });
		}
		this.open();
	}
}
