import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { droppedUris, mayHoldFiles } from './transfer.ts';

/** Accepts files that are dropped anywhere on the page, and shows a hint while they are dragged over it. */
export class DropTarget implements ReactiveController {
	private readonly host: ReactiveControllerHost;
	private readonly take: (uris: string[], files: File[]) => void;
	private isOver = false;

	constructor(host: ReactiveControllerHost, take: (uris: string[], files: File[]) => void) {
		this.host = host;
		this.take = take;
		host.addController(this);
	}

	hostConnected(): void {
		window.addEventListener('dragover', this.onDragOver);
		window.addEventListener('dragleave', this.onDragLeave);
		window.addEventListener('drop', this.onDrop);
	}

	hostDisconnected(): void {
		window.removeEventListener('dragover', this.onDragOver);
		window.removeEventListener('dragleave', this.onDragLeave);
		window.removeEventListener('drop', this.onDrop);
	}

	render(words: string): TemplateResult | typeof nothing {
		return this.isOver ? html`<div class="drop">${words}</div>` : nothing;
	}

	private readonly onDragOver = (event: DragEvent) => {
		if (event.dataTransfer && mayHoldFiles(event.dataTransfer)) {
			event.preventDefault();
			event.dataTransfer.dropEffect = 'copy';
			this.show(true);
		}
	};

	private readonly onDragLeave = (event: DragEvent) => {
		// The pointer has left the page only if it enters no other element of it.
		if (event.relatedTarget === null) {
			this.show(false);
		}
	};

	private readonly onDrop = (event: DragEvent) => {
		this.show(false);
		if (event.dataTransfer && mayHoldFiles(event.dataTransfer)) {
			event.preventDefault();
			this.take(droppedUris(event.dataTransfer), [...event.dataTransfer.files]);
		}
	};

	private show(isOver: boolean): void {
		if (isOver !== this.isOver) {
			this.isOver = isOver;
			this.host.requestUpdate();
		}
	}
}
