import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { systemErrorCode } from '../../../base/errors.ts';
import { replaceFileSync } from '../../../base/files.ts';
import type { Logger } from '../../../base/logger.ts';
import { type FoundAnswer, foundAnswerSchema } from '../../../contract/foundServers.ts';

const answersSchema = z.array(foundAnswerSchema);

/**
 * The user's answers about model servers that were found. They are stored in the state folder, because they apply to
 * this machine and to every window on it, unlike the editor's own state.
 */
export class ServerAnswers {
	private readonly file: string;
	private answers: readonly FoundAnswer[];

	/** If the file cannot be read, the user is asked again about every server. */
	constructor(stateFolder: string, logger: Logger) {
		this.file = path.join(stateFolder, 'found-servers.json');
		try {
			this.answers = answersSchema.parse(JSON.parse(readFileSync(this.file, 'utf8')));
		} catch (error) {
			this.answers = [];
			if (systemErrorCode(error) !== 'ENOENT') {
				logger.log('warn', 'the answers about found servers cannot be read and are asked for again');
			}
		}
	}

	/** Returns undefined if there is no answer about a server at this address that runs as this user. */
	find(url: string, user: string): boolean | undefined {
		return this.answers.find(answer => answer.url === url && answer.user === user)?.use;
	}

	/** Throws the system's error if the answer cannot be written. */
	keep(answer: FoundAnswer): void {
		const others = this.answers.filter(({ url, user }) => url !== answer.url || user !== answer.user);
		const answers = [...others, answer];
		replaceFileSync(this.file, `${JSON.stringify(answers)}\n`);
		this.answers = answers;
	}
}
