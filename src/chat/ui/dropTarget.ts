import { html, nothing, type TemplateResult } from 'lit';
import { droppedUris, mayHoldFiles } from './transfer.ts';

/** Accepts files that are dropped anywhere on the page, and shows a hint while they are dragged over it. */
export class DropTarget {
	private readonly redraw: () => void;
	private isOver = false;

	constructor(redraw: () => void, take: (uris: string[], files: File[]) => void) {
		this.redraw = redraw;
		window.addEventListener('dragover', event => {
			if (event.dataTransfer && mayHoldFiles(event.dataTransfer)) {
				event.preventDefault();
				event.dataTransfer.dropEffect = 'copy';
				this.show(true);
			}
		});
		window.addEventListener('dragleave', event => {
			// The pointer has left the page only if it enters no other element of it.
			if (event.relatedTarget === null) {
				this.show(false);
			}
		});
		window.addEventListener('drop', event => {
			this.show(false);
			if (event.dataTransfer && mayHoldFiles(event.dataTransfer)) {
				event.preventDefault();
				take(droppedUris(event.dataTransfer), [...event.dataTransfer.files]);
			}
		});
	}

	render(words: string): TemplateResult | typeof nothing {
		return this.isOver ? html`<div class="drop">${words}</div>` : nothing;
	}

	private show(isOver: boolean): void {
		if (isOver !== this.isOver) {
			this.isOver = isOver;
			this.redraw();
		}
	}
}
