import { testTasksOf } from './tasksOfAgent.ts';

testTasksOf('pi');
