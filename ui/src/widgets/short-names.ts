/**
 * Short forms of long C++ names, for the cells of a table: what is left of a name depends on the others
 * in it. `Middle` reads it for names of code; its tooltip has the full name.
 */
import { createContext, useContext } from 'solid-js';

type ShortOf = (name: string) => string | undefined;

export const ShortNames = createContext<ShortOf>(() => undefined);

export const useShortNames = (): ShortOf => useContext(ShortNames);
