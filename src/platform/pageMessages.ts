// What a report's page and the host say to each other, whatever the report is about.

/** The data that the page gets when it loads. */
export interface ReportPageData {
	/** Translations by their English texts; absent where the editor speaks English. */
	bundle?: Record<string, string>;
}

/** Everything that the page shows from now on. */
export interface ToReportPage<View> {
	kind: 'view-set';
	view: View;
	/** What the editor keeps of the page, so that the host can show it again after a reload; absent where it cannot. */
	state?: unknown;
}
