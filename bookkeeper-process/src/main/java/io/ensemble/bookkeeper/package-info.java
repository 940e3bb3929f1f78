/**
 * A program with bookies and clients of BookKeeper. The program is a process of its own because it
 * requires another version of Netty than the rest of the repository. Its input and its output are
 * lines of text.
 */
@NullMarked
package io.ensemble.bookkeeper;

import org.jspecify.annotations.NullMarked;
