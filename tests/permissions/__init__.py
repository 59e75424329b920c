"""Who may do what: every kind of person against every view, action, frame and command.

`people.py` has the persons, `rules.py` what a right comes to for each of them, `views.py` a row for every address,
`doing.py` one for every action of the admin, every frame of the socket and every command. What the code has and no row
names fails the tests, as does a row that the code has nothing for.
"""
