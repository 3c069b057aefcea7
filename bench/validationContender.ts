import process from 'node:process';
import * as z from 'zod';
import { chatChunkSchema, readChatChunk } from '../src/contract/chatReply.ts';
import { contend, parameters } from './contender.ts';

const { contender } = parameters<{ contender: 'floor' | 'ours' | 'zod' | 'lenient' }>();
const CHUNKS = 2000;
const ROUNDS = 300;

const plain = z.object({
	id: z.string(),
	model: z.string(),
	choices: z.array(
		z.object({
			index: z.number(),
			finish_reason: z.string().nullable(),
			delta: z.object({ content: z.string().optional() }),
		}),
	),
});
type Read = { choices: { delta?: { content?: string | null | undefined } | null | undefined }[] } | undefined;

const contenders: Record<typeof contender, (value: unknown) => Read> = {
	floor: value => value as Read,
	ours: readChatChunk,
	zod: value => plain.parse(value),
	lenient: value => chatChunkSchema.parse(value),
};

const lines = Array.from({ length: CHUNKS }, (_, index) =>
	JSON.stringify({
		id: 'chatcmpl-7Yx2Kp',
		object: 'chat.completion.chunk',
		created: 1758000000,
		model: 'vendor/large-model',
		choices: [{ index: 0, delta: { content: `word ${index} ${index % 7 === 0 ? '世界' : ''}` }, finish_reason: null }],
	}),
);

await contend(async () => {
	const read = contenders[contender];
	let count = 0;
	for (let round = 0; round < ROUNDS; round++) {
		for (const line of lines) {
			count += read(JSON.parse(line))?.choices[0]?.delta?.content?.length ?? 0;
		}
	}
	return { count };
});
process.disconnect();
