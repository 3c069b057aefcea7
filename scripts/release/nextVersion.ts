const STEPS: readonly string[] = ['major', 'minor', 'patch'];

/**
 * Returns the version that a step leads to. A step is `major`, `minor`, `patch`, or a later version.
 * @throws if the step is none of these
 */
export function nextVersion(current: string, step: string): string {
	const index = STEPS.indexOf(step);
	if (index >= 0) {
		const numbers = numbersOf(current);
		return numbers.map((number, place) => (place < index ? number : place === index ? number + 1 : 0)).join('.');
	}
	if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(step)) {
		throw new Error(
			`${step === '' ? 'No step is named' : `"${step}" is no step`}. Name major, minor, patch or a version such as 1.2.0. The marketplaces take versions of three numbers only; an odd second one is a pre-release.`,
		);
	}
	if (!isLater(numbersOf(step), numbersOf(current))) {
		throw new Error(`${step} is not later than ${current}, the version that package.json has.`);
	}
	return step;
}

function numbersOf(version: string): number[] {
	return version.split('.').map(Number);
}

function isLater(one: number[], other: number[]): boolean {
	const index = one.findIndex((number, place) => number !== other[place]);
	return index >= 0 && (one[index] ?? 0) > (other[index] ?? 0);
}
