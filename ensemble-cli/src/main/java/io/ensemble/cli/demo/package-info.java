/** The demonstration, step by step, with a record of each write to compare reads with. */
@NullMarked
package io.ensemble.cli.demo;

import org.jspecify.annotations.NullMarked;
