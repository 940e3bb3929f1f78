/** Options that several commands have. */
@NullMarked
package io.ensemble.cli.option;

import org.jspecify.annotations.NullMarked;
