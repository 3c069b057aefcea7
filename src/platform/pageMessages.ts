// The messages between a report's page and the host, whatever the report is about.

/** The data that the page gets when it loads. */
export interface ReportPageData {
	/** Translations by their English texts; absent if the editor's language is English. */
	bundle?: Record<string, string>;
}

/** Everything that the page shows from now on. */
export interface ToReportPage<View> {
	kind: 'view-set';
	view: View;
	/** The state that the editor keeps for restoring the page after a reload; absent if it cannot be restored. */
	state?: unknown;
}
