/** The run cannot go on. The message is a sentence for the user. */
export class TurnFailure extends Error {
	override readonly name = 'TurnFailure';
}
