/** The addresses below which a server may list its models: the named one, then those where servers usually have their version. */
export function candidateAddresses(url: string): string[] {
	if (/\/v\d+\w*$/.test(url)) {
		return [url];
	}
	return new URL(url).pathname === '/' ? [`${url}/v1`, `${url}/api/v1`] : [url, `${url}/v1`];
}
