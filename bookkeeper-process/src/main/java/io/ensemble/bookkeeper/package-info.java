/**
 * A program with bookies and clients of BookKeeper, in a process of its own: its Netty is not the
 * one that everybody else here has. It is told lines, and answers with lines.
 */
@NullMarked
package io.ensemble.bookkeeper;

import org.jspecify.annotations.NullMarked;
