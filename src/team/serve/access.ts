import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { bearerToken } from '../../base/tokenCheck.ts';
import { authorizationOf, NO_CREDENTIALS, type Refusal } from '../../service/guard.ts';
import { isImagePath } from '../../service/images/imageShelf.ts';
import { RequestRefused } from '../../service/replies.ts';
import type { App, AppContext } from '../../service/server.ts';
import type { Limits } from '../configuration.ts';
import type { People, Team, User } from '../database/people.ts';
import type { TaskOwner } from '../database/taskRows.ts';
import { HEALTH_PATH, READY_PATH } from './operation.ts';

/** The two public endpoints of the encrypted channel (contract: encrypted-channel.md, Endpoints), in both addressings. */
const PUBLIC_CHANNEL = /^\/(?:encrypted|enc\/[^/]+\/[^/]+)\/(?:health|attestation)$/;
/** How long a stream goes on at most after the token of its reader was revoked. */
const RECHECK_MS = 10_000;
/** A database that is started anew is there again after so long. */
const AWAY_RETRY_MS = 3_000;
/** When one of many open requests may have ended. */
const OPEN_RETRY_MS = 5_000;

interface Caller {
	token: string;
	user: User;
	checkedAt: number;
}

/**
 * Knows who calls. Every request is checked against the database, so that a revoked token is refused at once, and so is
 * a stream that is open for longer.
 */
export class Access {
	private readonly people: People;
	private readonly limits: Limits;
	private readonly logger: Logger;
	private readonly callers = new WeakMap<IncomingMessage, Caller>();
	/** The requests of each user whose replies have not ended. */
	private readonly open = new Map<string, number>();

	constructor(people: People, limits: Limits, logger: Logger) {
		this.people = people;
		this.logger = logger;
		this.limits = limits;
	}

	/** Registers the check, which has to come before all routes. */
	register(app: App): void {
		app.use(async (context, next) => {
			const { incoming, outgoing } = context.env;
			if (!isOpen(context)) {
				await this.admit(incoming, outgoing).catch(error => {
					throw error instanceof RequestRefused ? error : this.databaseAway(error);
				});
			}
			await next();
		});
	}

	/** Returns who sends a request that has passed the check. */
	userOf(context: AppContext): User {
		return this.callerOf(context).user;
	}

	/** Returns the same as it is by now. @throws RequestRefused 401 if the token has been revoked. */
	async presentUserOf(context: AppContext): Promise<User> {
		const caller = this.callerOf(context);
		if (performance.now() - caller.checkedAt > RECHECK_MS) {
			const user = await this.people.userOfToken(caller.token);
			if (user === undefined) {
				throw refusedBy(NO_CREDENTIALS);
			}
			caller.user = user;
			caller.checkedAt = performance.now();
		}
		return caller.user;
	}

	/** Nothing of the request has been done, so that clients can send it again. */
	private databaseAway(error: unknown): RequestRefused {
		this.logger.log('warn', 'the database could not be asked who calls', { reason: describeError(error) });
		const message = 'The database of the service does not answer. Try again in a moment.';
		return new RequestRefused(503, message, 'unavailable', { retryAfterMs: AWAY_RETRY_MS });
	}

	private callerOf(context: AppContext): Caller {
		const caller = this.callers.get(context.env.incoming);
		if (caller === undefined) {
			throw new Error('An open route has asked who calls.');
		}
		return caller;
	}

	private async admit(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const token = bearerToken(authorizationOf(incoming));
		const user = token && (await this.people.userOfToken(token));
		if (!token) {
			throw refusedBy(NO_CREDENTIALS);
		}
		if (!user) {
			throw new RequestRefused(
				401,
				'Valid credentials are needed: this token is none of this service, or was revoked.',
			);
		}
		const { count, secondsLeft } = await this.people.countRequest(user.id);
		const { requestsAMinute } = this.limits;
		if (count > requestsAMinute) {
			throw new RequestRefused(
				429,
				`You have sent more than ${requestsAMinute} requests in this minute. Wait ${secondsLeft} s.`,
				'rate_limited',
				{ retryAfterMs: secondsLeft * 1000 },
			);
		}
		this.hold(user.id, outgoing);
		this.callers.set(incoming, { token, user, checkedAt: performance.now() });
	}

	/** Counts a request as open until its reply has ended. */
	private hold(userId: string, outgoing: ServerResponse): void {
		const { requestsAtOnce } = this.limits;
		const open = this.open.get(userId) ?? 0;
		if (open >= requestsAtOnce) {
			const message = `${requestsAtOnce} of your requests are still open here, such as streams of logs. Close some of them.`;
			throw new RequestRefused(429, message, 'rate_limited', { retryAfterMs: OPEN_RETRY_MS });
		}
		if (outgoing.destroyed) {
			// The client has gone meanwhile, and nothing will tell of that any more.
			return;
		}
		this.open.set(userId, open + 1);
		outgoing.once('close', () => {
			const left = (this.open.get(userId) ?? 0) - 1;
			if (left > 0) {
				this.open.set(userId, left);
			} else {
				this.open.delete(userId);
			}
		});
	}
}

function isOpen({ req: { method, path } }: AppContext): boolean {
	const isRead = method === 'GET' || method === 'HEAD';
	return isRead && (path === HEALTH_PATH || path === READY_PATH || PUBLIC_CHANNEL.test(path) || isImagePath(path));
}

const refusedBy = ({ status, message }: Refusal): RequestRefused => new RequestRefused(status, message);

/** Returns whether a user sees a task (contract: cloud-tasks.md, GET {cloud_url}/api/tasks/{taskId}/stream). */
export const maySee = (user: User, task: TaskOwner): boolean => task.isPublic || mayChange(user, task);

/** Returns whether a user may stop a task or let it go on. */
export const mayChange = ({ id, teams }: User, task: TaskOwner): boolean =>
	task.userId === id || teams.some(team => team.id === task.teamId);

/** Returns the team that a request names by its name or its id. @throws RequestRefused 403 if the user is not in it. */
export function teamOf({ teams }: User, named: string): Team {
	const team = teams.find(({ id, name }) => id === named || name === named);
	if (team === undefined) {
		throw new RequestRefused(403, `You are not a member of the selected team ${JSON.stringify(named.slice(0, 100))}.`);
	}
	return team;
}

/** A task that a user does not see is answered as one that is not there. */
export const noTask = (): RequestRefused => new RequestRefused(404, 'Task not found');
