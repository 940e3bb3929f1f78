/** Options that several commands share. */
@NullMarked
package io.ensemble.cli.option;

import org.jspecify.annotations.NullMarked;
