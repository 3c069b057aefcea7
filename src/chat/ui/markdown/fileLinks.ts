import * as l10n from '@vscode/l10n';
import { looksLikeFile } from '../../model/fileReference.ts';
import { MAXIMUM_NAMES } from '../../protocol/protocol.ts';
import type { HostRequests } from '../hostRequests.ts';

/** The most names that are looked up for one reply; further ones stay plain text. */
const MAXIMUM_ASKED = 512;

/** Turns file names in a reply into links once the host has found the files in the workspace. */
export class FileLinks {
	private readonly requests: HostRequests;
	private readonly found = new Map<string, Promise<boolean>>();
	private batch: { names: string[]; answer: Promise<readonly string[]> } | undefined;

	constructor(requests: HostRequests) {
		this.requests = requests;
	}

	/** Looks through a finished block. */
	add(block: Element): void {
		for (const element of block.querySelectorAll<HTMLElement>('a.file, code')) {
			const name = nameOf(element);
			if (name !== undefined) {
				void this.isFile(name).then(isFile => {
					if (isFile && element.isConnected && nameOf(element) === name) {
						this.link(element, name);
					}
				});
			}
		}
	}

	private isFile(name: string): Promise<boolean> {
		let known = this.found.get(name);
		if (!known) {
			known = this.found.size < MAXIMUM_ASKED ? this.ask(name) : Promise.resolve(false);
			this.found.set(name, known);
		}
		return known;
	}

	/**
	 * Names that are looked up together go in one message. A name without an answer is looked up at its next occurrence.
	 */
	private async ask(name: string): Promise<boolean> {
		if (!this.batch || this.batch.names.length === MAXIMUM_NAMES) {
			const names: string[] = [];
			const batch = { names, answer: Promise.resolve().then(() => this.send(names)) };
			this.batch = batch;
		}
		this.batch.names.push(name);
		try {
			return (await this.batch.answer).includes(name);
		} catch {
			this.found.delete(name);
			return false;
		}
	}

	private send(names: string[]): Promise<string[]> {
		if (this.batch?.names === names) {
			this.batch = undefined;
		}
		return this.requests.ask('files-check', { names });
	}

	private link(element: HTMLElement, name: string): void {
		element.dataset['file'] = name;
		element.setAttribute('role', 'link');
		element.tabIndex = 0;
		element.title = l10n.t('Open {0}', name);
	}
}

/** Returns the name that an element may link to: the target of a Markdown link, or the text of inline code. */
function nameOf(element: HTMLElement): string | undefined {
	if (element.localName === 'a') {
		return element.dataset['file'] ?? element.title;
	}
	const text = element.closest('pre, a') ? '' : (element.textContent ?? '');
	return looksLikeFile(text) ? text : undefined;
}
