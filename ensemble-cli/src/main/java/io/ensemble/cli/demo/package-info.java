/** The demonstration, step by step, with a note of each write to hold reads against. */
@NullMarked
package io.ensemble.cli.demo;

import org.jspecify.annotations.NullMarked;
