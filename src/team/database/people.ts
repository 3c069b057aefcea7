import type { Pool } from 'pg';

export interface Team {
	id: string;
	name: string;
}

export interface User {
	id: string;
	name: string;
	email: string | null;
	teams: readonly Team[];
}

export interface TokenRecord {
	id: string;
	createdAt: Date;
	revokedAt: Date | null;
}

/** Names are given by operators; every method throws a UserFacingError for a name that is taken or unknown. */
export declare class People {
	constructor(pool: Pool);
	addUser(name: string, email?: string): Promise<User>;
	addTeam(name: string): Promise<Team>;
	join(team: string, user: string): Promise<void>;
	/** The token itself (`sk-errand-…`) is kept nowhere. */
	addToken(user: string): Promise<{ id: string; token: string }>;
	revokeToken(id: string): Promise<void>;
	tokensOf(user: string): Promise<TokenRecord[]>;
	userOfToken(token: string): Promise<User | undefined>;
	/** The user by name. */
	user(name: string): Promise<User>;
	/** Counts a request, and returns the number of them in the current minute and when that ends. */
	countRequest(userId: string): Promise<{ count: number; secondsLeft: number }>;
	/** The known cost of the tasks of a user in this calendar month (UTC), in US dollars. */
	costThisMonth(userId: string): Promise<number>;
}
