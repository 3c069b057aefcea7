/** The run cannot continue. The message is a sentence for the user. */
export class TurnFailure extends Error {
	override readonly name = 'TurnFailure';
}
