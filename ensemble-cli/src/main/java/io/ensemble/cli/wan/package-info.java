/** The command that emulates distance between processes. */
@NullMarked
package io.ensemble.cli.wan;

import org.jspecify.annotations.NullMarked;
