import type { FromPage, LoadedImage, ToPage } from '../protocol.ts';
import type { Post } from './page.ts';

/** A question of the page to the host, without its number. */
type Question<K extends 'files-check' | 'image-load' | 'preview-request'> = Omit<
	Extract<FromPage, { kind: K }>,
	'request' | 'kind'
>;

/** What the page asks the host and gets an answer to. A page that is gone gets none, and has nobody to wait for it. */
export class HostRequests {
	private readonly post: Post;
	private readonly waiting = new Map<number, (message: ToPage) => void>();
	private last = 0;

	constructor(post: Post) {
		this.post = post;
	}

	/** Those of the names that are files of the workspace. */
	findFiles(question: Question<'files-check'>): Promise<string[]> {
		return this.ask(request => ({ kind: 'files-check', request, ...question })).then(answer =>
			answer.kind === 'files-found' ? answer.names : [],
		);
	}

	async loadImage(question: Question<'image-load'>): Promise<LoadedImage> {
		const answer = await this.ask(request => ({ kind: 'image-load', request, ...question }));
		return answer.kind === 'image-set' ? answer.image : { problem: '' };
	}

	/** An attached image as a `data:` address. */
	async preview(question: Question<'preview-request'>): Promise<string | undefined> {
		const answer = await this.ask(request => ({ kind: 'preview-request', request, ...question }));
		return answer.kind === 'preview-set' ? answer.address : undefined;
	}

	answered(message: Extract<ToPage, { request: number }>): void {
		this.waiting.get(message.request)?.(message);
		this.waiting.delete(message.request);
	}

	private ask(question: (request: number) => FromPage): Promise<ToPage> {
		this.last++;
		const request = this.last;
		return new Promise(resolve => {
			this.waiting.set(request, resolve);
			this.post(question(request));
		});
	}
}
