import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { explainError } from './notify.ts';
import type { ReportPageData, ToReportPage } from './pageMessages.ts';
import { serveMessage } from './serveMessage.ts';
import { webviewRoot, webviewShell } from './webview.ts';

export interface PagePanelOptions<FromPage extends { kind: string }, View> {
	extensionUri: vscode.Uri;
	/** Names the page's bundle, and the kind of tab as `errand.<name>`. */
	name: string;
	title: string;
	tabTitle: string;
	column: vscode.ViewColumn;
	/** Undefined for anything that is not a message of the page. */
	parse(message: unknown): FromPage | undefined;
	handle(message: Exclude<FromPage, { kind: 'page-ready' }>): unknown;
	view(): View;
	/** Returns the connection's label, for errors. */
	label(): string;
	logger: Logger;
	/** The state that the editor keeps for a reload of the window; left out for a tab that ends with the window. */
	state?: unknown;
	/** The tab that the editor has reopened after a reload, to be used instead of a new one. */
	restored?: vscode.WebviewPanel | undefined;
}

/** An editor tab with a page that always gets everything that it shows. */
export class PagePanel<FromPage extends { kind: string }, View> {
	private readonly options: PagePanelOptions<FromPage, View>;
	private readonly store = new DisposableStore();
	private readonly panel: vscode.WebviewPanel;
	private isReady = false;

	constructor(options: PagePanelOptions<FromPage, View>) {
		this.options = options;
		const { extensionUri, name, title, tabTitle, column, restored } = options;
		// These pages are texts to read, so they have a find box.
		const readable = { enableFindWidget: true };
		this.panel = restored ?? vscode.window.createWebviewPanel(`errand.${name}`, tabTitle, column, readable);
		const { webview } = this.panel;
		webview.options = { enableScripts: true, localResourceRoots: [webviewRoot(extensionUri)] };
		this.store.add(webview.onDidReceiveMessage(message => this.receive(message)));
		this.store.add(
			this.panel.onDidChangeViewState(() => {
				// The editor disposes of a hidden page; the next page announces itself.
				this.isReady = this.isReady && this.panel.visible;
			}),
		);
		webview.html = webviewShell(webview, {
			extensionUri,
			name,
			title,
			language: vscode.env.language,
			data: defined({ bundle: vscode.l10n.bundle }) satisfies ReportPageData,
		});
	}

	/** Sends the page everything that it shows. A hidden or loading page gets it when it announces itself. */
	update(): void {
		if (this.isReady) {
			const { state } = this.options;
			const message: ToReportPage<View> = { kind: 'view-set', view: this.options.view(), ...defined({ state }) };
			void this.panel.webview.postMessage(message);
		}
	}

	/** True if the tab is the one that the user works in. */
	get isActive(): boolean {
		return this.panel.active;
	}

	reveal(): void {
		this.panel.reveal();
	}

	onDidDispose(listener: () => void): void {
		this.panel.onDidDispose(() => {
			this.isReady = false;
			this.store.dispose();
			listener();
		});
	}

	dispose(): void {
		this.panel.dispose();
	}

	private receive(message: unknown): void {
		const { parse, handle, label, logger } = this.options;
		void serveMessage<FromPage>(message, {
			parse,
			handle: parsed => {
				if (parsed.kind === 'page-ready') {
					this.isReady = true;
					this.update();
					return;
				}
				return handle(parsed as Exclude<FromPage, { kind: 'page-ready' }>);
			},
			post: answer => this.panel.webview.postMessage(answer),
			explain: error => explainError(error, label()),
			logger,
		});
	}
}
