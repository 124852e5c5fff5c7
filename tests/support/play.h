/* play.h - the timeline view of a session, played without a terminal. */
#ifndef TC_TESTS_PLAY_H
#define TC_TESTS_PLAY_H

#include "tilecopy.h"
#include "view/supply.h"

/* A session that has loaded a file and obeyed a command. */
typedef struct tc_player {
    tc_session *session;
    tc_view_supply from;
} tc_player;
tc_player tc_player_open(const char *path, const char *command);
void tc_player_close(tc_player *p);

/* Plays a case (tests/tui/case.sh says what its lines mean) at each of its
 * sizes; what differs is printed and fails the test. Returns whether it was
 * played: those that say "only tmux" are not. */
bool tc_play_case(const char *path);

#endif
