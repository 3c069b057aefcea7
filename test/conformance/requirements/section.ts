/** One thing that the contract demands. */
export interface Requirement {
	/** Document, heading and position: `inference/provider-object/3`. */
	id: string;
	/** Document and heading, as they are written there. */
	source: string;
	behaviour: string;
}

/** `GET {cloud_url}/api/tasks` becomes `get-cloud-url-api-tasks`. */
export function slug(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/^-|-$/g, '');
}

/** The requirements of one section: its table rows, numbered rules and list items, in the order in which they stand. */
export function section(document: string, heading: string, behaviours: readonly string[]): Requirement[] {
	return behaviours.map((behaviour, index) => ({
		id: `${document}/${slug(heading)}/${index + 1}`,
		source: `${document}.md, ${heading}`,
		behaviour,
	}));
}
