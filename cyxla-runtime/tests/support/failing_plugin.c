// A plugin that is another one, REAL, but for one function that can be made to fail, to be missing, or to lie behind the end
// of the table. The tests steer it through the functions below GetPjrtApi.
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { HEAD = 40, SLOTS = 160, DESTROY = 0, MESSAGE = 1, CODE = 2 };

typedef void *(*function)(void *);
struct table { size_t size; char head[HEAD - sizeof(size_t)]; function functions[SLOTS]; };
struct error_args { size_t size; void *extensions; void *error; const char *message; size_t length; };
struct code_args { size_t size; void *extensions; void *error; int code; };

static const char made[] = "made to fail";
static char error;
static struct table real, fake;
static atomic_long calls[SLOTS], done[SLOTS], errors, countdown;
static atomic_int armed = -1;
static char is_late[SLOTS];
static int missing = -1;
static size_t end;

static void *call(int slot, void *args) {
    calls[slot]++;
    if (slot <= CODE && ((struct error_args *)args)->error == &error) {
        if (slot == DESTROY) errors--;
        if (slot == MESSAGE) {
            ((struct error_args *)args)->message = made;
            ((struct error_args *)args)->length = sizeof made - 1;
        }
        if (slot == CODE) ((struct code_args *)args)->code = 13;
        return NULL;
    }
    int fails = armed == slot && --countdown == 0;
    void *result = fails && !is_late[slot] ? NULL : real.functions[slot](args);
    if (!result && (!fails || is_late[slot])) done[slot]++;
    if (!fails) return result;
    errors++;
    return &error;
}

#define STUB(n) static void *stub_##n(void *args) { return call(n - 1000, args); }
#define NAME(n) stub_##n,
#define TEN(what, n) what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define ALL(what) TEN(what, 100) TEN(what, 101) TEN(what, 102) TEN(what, 103) TEN(what, 104) TEN(what, 105) TEN(what, 106) \
    TEN(what, 107) TEN(what, 108) TEN(what, 109) TEN(what, 110) TEN(what, 111) TEN(what, 112) TEN(what, 113) TEN(what, 114) \
    TEN(what, 115)
ALL(STUB)
static const function stubs[SLOTS] = { ALL(NAME) };

const void *GetPjrtApi(void) {
    void *library = dlopen(REAL, RTLD_NOW | RTLD_LOCAL);
    const struct table *(*get)(void) = library ? (const struct table *(*)(void))dlsym(library, "GetPjrtApi") : NULL;
    if (!get) return NULL;
    const struct table *table = get();
    size_t size = table->size < sizeof real ? table->size : sizeof real;
    memcpy(&real, table, size);
    memcpy(&fake, table, size);
    fake.size = end && end < size ? end : size;
    for (size_t i = 0; i < (size - HEAD) / sizeof(function); i++)
        fake.functions[i] = (int)i == missing || !real.functions[i] ? NULL : stubs[i];
    return &fake;
}

// Before GetPjrtApi is called.
void leave_out(int slot) { missing = slot; }
void end_at(size_t bytes) { end = bytes; }
// What fails does its work before, since what it is to end would not end otherwise.
void fails_late(int slot) { is_late[slot] = 1; }

// Has the call after `before` more calls fail; no slot, none.
void arm(int slot, long before) { armed = -1; countdown = before + 1; armed = slot; }
long count(int slot) { return calls[slot]; }
long count_done(int slot) { return done[slot]; }
long errors_left(void) { return errors; }
