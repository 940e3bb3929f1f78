/**
 * The gate: {@link io.ensemble.rest.gate.AccessFilter} asks where a request comes from, who sends
 * it, what they may do, and how much they have under way, and has what became of it written down.
 */
@NullMarked
package io.ensemble.rest.gate;

import org.jspecify.annotations.NullMarked;
