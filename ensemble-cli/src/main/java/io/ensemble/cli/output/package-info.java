/** Tables, JSON, progress and errors, as commands print them. */
@NullMarked
package io.ensemble.cli.output;

import org.jspecify.annotations.NullMarked;
