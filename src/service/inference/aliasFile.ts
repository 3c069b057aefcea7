import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { connectionSchema } from '../../contract/connection.ts';
import type { Alias } from '../../contract/modelIdentifier.ts';
import { describeIssue } from '../replies.ts';

const MAXIMUM_BYTES = 1024 * 1024;

/**
 * The aliases that the user of the service defines: `aliases.json` in the state folder, a list of `{name, model,
 * provider?}` (contract: inference.md, Model alias). It is checked on each use and read again after a change. If the
 * file is invalid, the last valid aliases stay in force.
 */
export class AliasFile {
	private readonly file: string;
	private readonly logger: Logger;
	private aliases: readonly Alias[] = [];
	private version = '';

	constructor(stateFolder: string, logger: Logger) {
		this.file = path.join(stateFolder, 'aliases.json');
		this.logger = logger;
	}

	read(): readonly Alias[] {
		const version = this.present();
		if (version !== this.version) {
			this.version = version;
			this.load();
		}
		return this.aliases;
	}

	/** Returns a text that identifies the file's current state; it is empty if there is no file. */
	private present(): string {
		const status = statSync(this.file, { throwIfNoEntry: false, bigint: true });
		return status === undefined ? '' : `${status.ino} ${status.size} ${status.mtimeNs} ${status.ctimeNs}`;
	}

	private load(): void {
		try {
			if (this.version === '') {
				this.aliases = [];
				return;
			}
			const bytes = readFileSync(this.file);
			if (bytes.length > MAXIMUM_BYTES) {
				throw new Error('it is larger than 1 MB');
			}
			const parsed = aliasesSchema.safeParse(JSON.parse(bytes.toString('utf8')));
			if (!parsed.success) {
				throw new Error(describeIssue(parsed.error));
			}
			this.aliases = parsed.data;
			this.logger.log('info', 'the aliases were read', { count: this.aliases.length });
		} catch (error) {
			// The parser's own message is not logged, as it quotes the file.
			const reason = error instanceof SyntaxError ? 'not JSON' : (systemErrorCode(error) ?? describeError(error));
			this.logger.log('warn', 'aliases.json cannot be read; the aliases stay as they were', { reason });
		}
	}
}

const aliasesSchema = connectionSchema.shape.aliases
	.unwrap()
	.refine(aliases => new Set(aliases.map(({ name }) => name)).size === aliases.length, 'a name stands there twice');
