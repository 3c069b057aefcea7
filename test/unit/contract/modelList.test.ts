import assert from 'node:assert/strict';
import { modelListSchema } from '../../../src/contract/modelList.ts';

const idsOf = (...data: object[]) => modelListSchema.parse({ data }).data.map(({ id }) => id);

describe('a list of models', () => {
	it('has no embedding models and no rerankers, by what is said of them or by their names', () => {
		const named = [
			'text-embedding-3-small',
			'text-embedding-ada-002',
			'text-embedding-nomic-embed-text-v1.5',
			'nomic-embed-text:latest',
			'mxbai-embed-large',
			'mistral-embed',
			'gemini-embedding-001',
			'Qwen/Qwen3-Embedding-0.6B',
			'BAAI/bge-m3',
			'bge-reranker-v2-m3',
			'intfloat/e5-mistral-7b-instruct',
			'thenlper/gte-large',
			'all-minilm:33m',
			'jina-reranker-v2',
			'voyage-code-3',
			'sentence-transformers/paraphrase-MiniLM-L6',
		];
		assert.deepEqual(idsOf(...named.map(id => ({ id, object: 'model' }))), []);
		const told = [
			{ type: 'embedding' },
			{ type: 'embeddings' },
			{ type: 'rerank' },
			{ task: 'embeddings' },
			{ kind: 'EMBEDDING_MODEL' },
			{ capabilities: ['embedding'] },
			{ capabilities: { embeddings: true, chat_completion: false } },
			{ supported_output_modalities: ['embeddings'] },
		];
		assert.deepEqual(idsOf(...told.map(fields => ({ id: 'small', ...fields }))), []);
	});

	it('keeps every model that may answer, whatever else it does', () => {
		const kept = [
			{ id: 'gpt-large' },
			{ id: 'llama3.2:1b' },
			{ id: 'Qwen/Qwen3-8B' },
			{ id: 'gemma-it', type: 'chat' },
			{ id: 'codestral', capabilities: { completion_chat: true, embeddings: true } },
			{ id: 'embedder-that-chats', capabilities: ['completion', 'embedding'] },
			{ id: 'minimax-text', type: 'llm' },
			{ id: 'e5', type: 'model' },
			{ id: 'bget' },
			{ id: 'whole', type: null, capabilities: 3, task: {} },
		];
		assert.deepEqual(
			idsOf(...kept),
			kept.map(({ id }) => id),
		);
	});
});
