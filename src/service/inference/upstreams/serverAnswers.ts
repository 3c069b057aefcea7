import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { replaceFileSync } from '../../../base/files.ts';
import type { Logger } from '../../../base/logger.ts';
import { type FoundAnswer, foundAnswerSchema } from '../../../contract/foundServers.ts';

const answersSchema = z.array(foundAnswerSchema);

/**
 * What the user has said of servers that were found, in a file of the state folder: it holds for this machine and for
 * every window on it, which the editor's own state does not.
 */
export class ServerAnswers {
	private readonly file: string;
	private answers: readonly FoundAnswer[];

	/** Where the file cannot be read, everything is asked again. */
	constructor(stateFolder: string, logger: Logger) {
		this.file = path.join(stateFolder, 'found-servers.json');
		try {
			this.answers = answersSchema.parse(JSON.parse(readFileSync(this.file, 'utf8')));
		} catch (error) {
			this.answers = [];
			if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
				logger.log('warn', 'the answers about found servers cannot be read and are asked for again');
			}
		}
	}

	/** Undefined where nothing was said of the server at this address that this user runs. */
	find(url: string, user: string): boolean | undefined {
		return this.answers.find(answer => answer.url === url && answer.user === user)?.use;
	}

	/** Throws the system's error where it cannot be kept. */
	keep(answer: FoundAnswer): void {
		const others = this.answers.filter(({ url, user }) => url !== answer.url || user !== answer.user);
		const answers = [...others, answer];
		replaceFileSync(this.file, `${JSON.stringify(answers)}\n`);
		this.answers = answers;
	}
}
