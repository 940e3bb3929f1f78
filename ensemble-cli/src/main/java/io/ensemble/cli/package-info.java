/** The launcher: the root command, how commands run, and how failures end them. */
@NullMarked
package io.ensemble.cli;

import org.jspecify.annotations.NullMarked;
