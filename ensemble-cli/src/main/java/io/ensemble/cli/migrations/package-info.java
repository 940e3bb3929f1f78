/** Commands that show, follow and cancel changes of caches. */
@NullMarked
package io.ensemble.cli.migrations;

import org.jspecify.annotations.NullMarked;
