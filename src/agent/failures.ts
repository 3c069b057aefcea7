/** The run cannot continue. The message is a sentence for the user. */
export class TurnFailure extends Error {
	override readonly name = 'TurnFailure';
}

/** The failure of a tool. The message is for the model, which may try something else. */
export class ToolFailure extends Error {
	override readonly name = 'ToolFailure';
}
