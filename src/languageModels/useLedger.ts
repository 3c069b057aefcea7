import { appendFile, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { systemErrorCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { monthOf, ReplySums, type ReplyUse } from '../base/replySums.ts';

const costSchema = z.discriminatedUnion('known', [
	z.object({ known: z.literal('whole'), dollars: z.number(), isEstimated: z.boolean() }),
	z.object({ known: z.literal('part'), dollars: z.number() }),
	z.object({ known: z.literal('nothing') }),
]);

const replySchema = z.object({
	/** The name of the connection in the settings. */
	connection: z.string(),
	model: z.string(),
	provider: z.string().optional(),
	inputTokens: z.number(),
	outputTokens: z.number(),
	cost: costSchema,
});
/** One reply to another extension's request. It contains nothing of the request or the reply itself. */
export type CountedReply = z.input<typeof replySchema>;

const FILE = /^(\d{4}-\d{2})\.jsonl$/;

/**
 * Records what other extensions' requests have used: one file per month, one line per reply. A line is appended at
 * once, so several windows can write to the same file.
 */
export class UseLedger {
	private readonly folder: string;

	constructor(folder: string) {
		this.folder = folder;
	}

	/** `time` is in milliseconds. Rejects with the system's error. */
	async add(time: number, reply: CountedReply): Promise<void> {
		await mkdir(this.folder, { recursive: true, mode: 0o700 });
		const file = path.join(this.folder, `${monthOf(time)}.jsonl`);
		await appendFile(file, `${JSON.stringify(reply)}\n`, { mode: 0o600 });
	}

	/** Rejects with the system's error if the files cannot be read. */
	async read(): Promise<ReplyUse> {
		const sums = new ReplySums();
		let unreadable = 0;
		for (const name of await this.files()) {
			const [, month = ''] = FILE.exec(name) ?? [];
			const text = await readFile(path.join(this.folder, name), 'utf8');
			for (const line of text.split('\n').filter(Boolean)) {
				const reply = replySchema.safeParse(parseJson(line)).data;
				if (reply) {
					const { connection, provider, ...others } = reply;
					sums.add(connection, month, { ...others, provider });
				} else {
					unreadable++;
				}
			}
		}
		return { used: sums.used(), unreadable };
	}

	private async files(): Promise<string[]> {
		try {
			return (await readdir(this.folder)).filter(name => FILE.test(name)).sort();
		} catch (error) {
			if (systemErrorCode(error) === 'ENOENT') {
				return [];
			}
			throw error;
		}
	}
}
