/** The command that tests a guarantee. */
@NullMarked
package io.ensemble.cli.check;

import org.jspecify.annotations.NullMarked;
