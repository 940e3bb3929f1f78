/** Commands that make traces of versions. */
@NullMarked
package io.ensemble.cli.trace;

import org.jspecify.annotations.NullMarked;
