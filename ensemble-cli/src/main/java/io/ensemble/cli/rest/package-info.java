/** The command that serves REST. */
@NullMarked
package io.ensemble.cli.rest;

import org.jspecify.annotations.NullMarked;
